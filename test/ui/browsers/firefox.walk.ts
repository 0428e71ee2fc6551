import { startFirefox } from './firefox.ts';
import { walkMainWays } from './walks.ts';

walkMainWays('Firefox', startFirefox);
