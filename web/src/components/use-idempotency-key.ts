import { useRef } from 'react';
import { newIdempotencyKey } from '../api/request.ts';

/**
 * Returns a function for the idempotency key of what a form sends. The same content has the same key, so that sending it
 * again after a lost response creates nothing twice.
 */
export function useIdempotencyKey(): (content: unknown) => string {
  const sent = useRef({ content: '', key: '' });
  return (content) => {
    const text = JSON.stringify(content);
    if (sent.current.content !== text) sent.current = { content: text, key: newIdempotencyKey() };
    return sent.current.key;
  };
}
