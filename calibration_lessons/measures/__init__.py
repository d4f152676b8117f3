"""Measures of calibration and of forecasts: reliability, calibration errors, proper scores."""
