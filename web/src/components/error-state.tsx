import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { shared } from '../texts/shared.ts';
import { EmptyState } from './empty-state.tsx';
import { explainError } from './explain-error.ts';

/** Replaces content that could not be loaded: what happened, what to do, and a button to try again. */
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
