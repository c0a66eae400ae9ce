"""TODO tournament"""
