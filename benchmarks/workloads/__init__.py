"""The models of `models.py`, a file for each: how it is built, what one run of it is, and what is compared."""
