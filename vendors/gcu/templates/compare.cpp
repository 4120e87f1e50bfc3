{% include 'call.jinja' %}
