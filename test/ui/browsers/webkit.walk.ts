import { walkMainWays } from './walks.ts';
import { startWebKit } from './webkit.ts';

walkMainWays('WebKit', startWebKit);
