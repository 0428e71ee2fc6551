import { Player } from './player.ts';

// Courses must not reach the opener, which may have another origin.
window.opener = null;
// Some browsers run scripts before the style sheet has arrived.
addEventListener('load', () => {
  // Without its style sheet, the page would show the course in a tiny frame. The text asks the learner to reload it.
  if (!hasStyles()) return;
  document.querySelector('#opening')!.remove();
  void new Player().start(document.querySelector('#player')!);
});

/** Whether the page has its style sheet. Browsers may treat a style sheet that failed to load as an empty one. */
function hasStyles(): boolean {
  return getComputedStyle(document.documentElement).getPropertyValue('--page') !== '';
}
