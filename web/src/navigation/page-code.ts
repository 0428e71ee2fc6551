import { lazyRouteComponent } from '@tanstack/react-router';
import { isUnavailable, UnreachableError } from '../api/errors.ts';
import { request } from '../api/request.ts';

/**
 * Loads the code of a page when the page is opened. The router interprets any failure as an update of the service, and
 * reloads the window. So if the service does not respond, the failure is converted to an {@link UnreachableError}.
 */
export function pageCode<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    try {
      return await load();
    } catch (cause) {
      if (!(await isReachable())) throw new UnreachableError(cause);
      throw cause;
    }
  };
}

/** The component of a route, whose code {@link pageCode} loads. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(pageCode(load), name);

/** Whether the service responds, and can read its database. */
export async function isReachable(): Promise<boolean> {
  try {
    await request('GET', '/ui/api/session');
    return true;
  } catch (error) {
    return !(error instanceof UnreachableError || isUnavailable(error));
  }
}
