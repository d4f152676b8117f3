"""What makes the website (`make build`): Sphinx extensions of one task each, and the class edition."""
