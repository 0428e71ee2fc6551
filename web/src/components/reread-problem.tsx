import { isRefusal } from '../api/errors.ts';
import { Callout } from './callout.tsx';
import { explainError } from './explain-error.ts';

/**
 * Says why data that is shown could not be read again. The frame of the page says so itself if the service refused (see
 * ConnectionNotice).
 * @param className the class of the element around it, which is there only with it
 */
export function RereadProblem({ error, className }: { error: Error | null; className?: string | undefined }) {
  if (error === null || isRefusal(error)) return null;
  const { title, advice } = explainError(error);
  return (
    <div className={className}>
      <Callout tone="bad" title={title} live>
        {advice}
      </Callout>
    </div>
  );
}
