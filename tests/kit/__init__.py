"""The one cast: referee, server, socket bot, child bot, browser, until."""
