{% include 'function.cpp' %}
