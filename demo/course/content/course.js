(() => {
  const PASSING_PERCENT = 60;

  const lms = window.connectLearningSystem();
  const pages = [...document.querySelectorAll('.page')];
  const byId = (id) => document.getElementById(id);
  let current = 0;

  function show(index, { focus = true } = {}) {
    current = Math.min(Math.max(index, 0), pages.length - 1);
    pages.forEach((page, place) => {
      page.hidden = place !== current;
    });
    byId('place').textContent = `${current + 1} of ${pages.length}`;
    byId('progress').value = current + 1;
    byId('back').disabled = current === 0;
    byId('next').disabled = current === pages.length - 1;
    if (focus) pages[current].querySelector('h1').focus();
    window.scrollTo(0, 0);
    lms.visit(String(current), (current + 1) / pages.length);
  }

  function check(event) {
    event.preventDefault();
    const questions = [...document.querySelectorAll('fieldset')];
    const unanswered = questions.find((question) => question.querySelector(':checked') === null);
    if (unanswered !== undefined) {
      byId('result').textContent = 'Please answer every question.';
      unanswered.querySelector('input').focus();
      return;
    }
    const right = questions.filter(mark).length;
    const percent = Math.round((right / questions.length) * 100);
    const passed = percent >= PASSING_PERCENT;
    byId('result').textContent =
      `${right} of ${questions.length} are right: ${percent} %. ${passed ? 'Passed!' : 'Please try again.'}`;
    byId('result').scrollIntoView({ block: 'nearest' });
    lms.finish(percent, passed);
  }

  /** Shows whether the answer to a question is right, and returns that. */
  function mark(question) {
    const chosen = question.querySelector(':checked');
    for (const label of question.querySelectorAll('label')) label.className = '';
    const isRight = chosen.value === question.dataset.answer;
    chosen.parentElement.className = isRight ? 'right' : 'wrong';
    return isRight;
  }

  byId('back').addEventListener('click', () => show(current - 1));
  byId('next').addEventListener('click', () => show(current + 1));
  byId('check').addEventListener('submit', check);
  // Not `unload`: browsers do not fire it for a page that is kept or closed on a phone.
  window.addEventListener('pagehide', () => lms.leave());

  byId('connection').textContent = lms.name;
  show(Number.parseInt(lms.location, 10) || 0, { focus: false });
})();
