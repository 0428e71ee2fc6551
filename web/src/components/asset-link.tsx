import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FocusType } from '../../../src/events/catalogue.ts';
import { HOME_ID } from '../api/folders.ts';
import { useMay } from '../session/session-context.ts';
import { AnchorLink } from './links.tsx';

/** The page of an asset. */
export function addressOf(type: FocusType, id: number): LinkProps {
  switch (type) {
    case 'ACCOUNT':
      return { to: '/accounts/$accountId', params: { accountId: id } };
    case 'COURSE':
      return { to: '/content/courses/$courseId', params: { courseId: String(id) } };
    case 'EQUIVALENT':
      return { to: '/content/equivalents/$equivalentId', params: { equivalentId: String(id) } };
    case 'BUNDLE':
      return { to: '/content/bundles/$bundleId', params: { bundleId: String(id) } };
    case 'FOLDER':
      return { to: '/content', search: (id === HOME_ID ? {} : { folder: id }) as never };
  }
}

/** A link to an asset; only its name for those who may not read content. `onClick` closes what covers the page. */
export function AssetLink({
  type,
  id,
  onClick,
  children,
}: {
  type: FocusType;
  id: number;
  onClick?: () => void;
  children: ReactNode;
}) {
  if (!useMay()('content:read')) return children;
  return (
    // Only a link to this very page is the current one, not one to a page above it.
    <AnchorLink {...addressOf(type, id)} activeOptions={{ exact: true }} onClick={onClick}>
      {children}
    </AnchorLink>
  );
}
