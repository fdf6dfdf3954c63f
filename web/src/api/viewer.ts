import { createContext, useContext } from 'react';
import type { ViewerQuery } from '../generated/graphql.js';

export type Viewer = ViewerQuery['viewer'];

export const ViewerContext = createContext<Viewer | null>(null);

/** Who is signed in. Only below the shell, which asks first. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) {
    throw new Error('Nobody is signed in here.');
  }
  return viewer;
}
