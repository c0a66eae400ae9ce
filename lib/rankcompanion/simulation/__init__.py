"""TODO simulation"""
