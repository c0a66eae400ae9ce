"""TODO outlier_removal"""
