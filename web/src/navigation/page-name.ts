import { createContext, useContext, useEffect } from 'react';

/** Sets the name in the title. Null: the title is the kind of page. */
export const PageNameContext = createContext<(name: string | null) => void>(() => {});

/** Gives the page the name of its record as the title, while the calling component is shown. */
export function usePageName(name: string): void {
  const setName = useContext(PageNameContext);
  useEffect(() => {
    setName(name);
    return () => setName(null);
  }, [name, setName]);
}
