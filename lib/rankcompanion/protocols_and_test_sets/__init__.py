"""TODO protocols_and_test_sets"""
