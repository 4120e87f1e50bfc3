"""What the conformance tests share: the device under test, comparison with the host, lanes, child processes."""
