"""TODO lines"""
