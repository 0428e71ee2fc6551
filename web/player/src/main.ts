import { Player } from './player.ts';

// Courses must not reach the opener, which may have another origin.
window.opener = null;
document.querySelector('#opening')!.remove();
void new Player().start(document.querySelector('#player')!);
