"""What changes code in small ways to see who notices: the tests of the companion, the checks of the sets."""
