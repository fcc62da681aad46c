"""What speed and memory are measured with."""
