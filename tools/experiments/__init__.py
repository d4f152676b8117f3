"""What measured and trained what the lessons read: for a maintainer who makes the stored numbers anew."""
