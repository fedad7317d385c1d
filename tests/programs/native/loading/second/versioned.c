/* The second version of a module's library. */
#define VERSION 2
#include "../versioned.h"
