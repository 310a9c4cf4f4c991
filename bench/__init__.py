"""Measurements: what the tool says of real trees."""
