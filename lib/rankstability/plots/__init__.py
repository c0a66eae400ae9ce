"""Figures: functions of frames that return a Figure and accept ax=."""
