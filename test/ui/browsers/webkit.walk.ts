import { walkPlayer } from './player-walks.ts';
import { walkMainWays } from './walks.ts';
import { startWebKit } from './webkit.ts';

walkMainWays('WebKit', startWebKit);
walkPlayer('WebKit', startWebKit);
