"""What binds text to code: for who writes or runs a notebook (`make notebooks`, `make tidy`), for guards."""
