/* A shared object that is no native library. */
int some_function(void) { return 0; }
