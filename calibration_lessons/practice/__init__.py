"""Calibration at work: choosing, decisions, shift, scale."""
