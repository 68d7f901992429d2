"""What author code uses while it runs, besides connections and Variables: XComs, notifiers, callbacks, mail, questions to people."""
