"""The formats: each a function from a Report to text. No format knows a rule; what it shows stands in the Report."""
