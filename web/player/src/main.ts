import { Player } from './player.ts';

// An opener of another origin is none of a course's business.
window.opener = null;
void new Player(document.querySelector('#player')!).start();
