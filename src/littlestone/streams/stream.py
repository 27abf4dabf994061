class Stream: pass
def open_stream(path): pass
