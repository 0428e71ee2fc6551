import { startFirefox } from './firefox.ts';
import { walkPlayer } from './player-walks.ts';
import { walkMainWays } from './walks.ts';

walkMainWays('Firefox', startFirefox);
walkPlayer('Firefox', startFirefox);
