"""What is run beside the companion and the course, each folder for one task."""
