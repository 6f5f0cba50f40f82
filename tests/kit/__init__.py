"""What tests share: referee, server, socket bot, child bot, browser, `until`."""
