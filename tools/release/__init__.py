"""What installs, tries and releases the package: environments, the programs of "Use it", a rehearsal."""
