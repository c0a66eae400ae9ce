"""TODO document_difficulty"""
