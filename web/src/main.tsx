import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { graphql } from './api/graphql.js';
import { restore } from './api/kept.js';
import { App } from './app.js';
import './styles/base.css';
import './styles/parts.css';
import './styles/dialogs.css';
import './styles/shell.css';
import { applyTheme } from './shell/theme.js';

applyTheme();
const root = document.getElementById('root');
if (root !== null) {
  void restore().then(() =>
    createRoot(root).render(
      <StrictMode>
        <Provider value={graphql}>
          <App />
        </Provider>
      </StrictMode>,
    ),
  );
}
