"""The one generator: reads PyTorch's schemas and the vendors' yaml, writes C++ and routes."""
