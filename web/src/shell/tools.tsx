import { useViewer } from '../api/viewer.js';
import { Notice } from '../parts/states.js';

/** For roles that have no page of their own yet. */
export function Tools() {
  const { role } = useViewer();
  return (
    <Notice title={`Signed in as ${role.toLowerCase()}`}>
      <p>
        There is no page for this role yet. <a href="/graphql">GraphiQL</a> asks any question that it may ask.
      </p>
    </Notice>
  );
}
