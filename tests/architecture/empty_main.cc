// A program of nothing, for libraries that are linked whole.
int main() { return 0; }
