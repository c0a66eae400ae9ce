"""TODO relative_ranking"""
