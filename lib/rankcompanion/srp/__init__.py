"""TODO srp"""
