import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { shared } from '../texts/shared.ts';
import { EmptyState } from './empty-state.tsx';
import { explainError } from './explain-error.ts';

/** In place of what could not be read: what happened, what to do, and once more. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, detail, advice } = explainError(error);
  return (
    <div role="alert">
      <EmptyState
        icon={IconAlertTriangle}
        title={title}
        description={
          <>
            {detail !== '' && <>{detail} </>}
            {advice}
          </>
        }
        {...(retry === undefined
          ? {}
          : {
              action: (
                <Button variant="default" onClick={retry}>
                  {shared.tryAgain}
                </Button>
              ),
            })}
      />
    </div>
  );
}
