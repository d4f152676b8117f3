"""Methods that mend the calibration of a fitted classifier."""
