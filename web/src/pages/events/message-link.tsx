import type { AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { AnchorLink } from '../../components/links.tsx';

/** A link from a message of an event to its webhook, with the line. With `delivery`, the delivery is open there. */
export function MessageLink({
  webhookId,
  delivery,
  children,
  ...anchor
}: Pick<AnchorProps, 'inherit' | 'underline'> & {
  webhookId: number;
  /** The id of a delivery. */
  delivery?: number;
  /** Needed if the text alone does not say where the link leads. */
  'aria-label'?: string;
  children: ReactNode;
}) {
  return (
    <AnchorLink
      {...anchor}
      to="/administration/integrations/webhooks/$webhookId"
      params={{ webhookId }}
      search={(delivery === undefined ? {} : { delivery }) as never}
    >
      {children}
    </AnchorLink>
  );
}
