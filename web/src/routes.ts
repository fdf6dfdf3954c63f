import { type ComponentType, lazy } from 'react';
import type { Role } from './generated/graphql.js';

interface PageRoute {
  readonly path: string;
  /** How it is called in the navigation and in messages. */
  readonly name: string;
  /** Who has it; of a role's pages the first one is where it begins. */
  readonly roles: readonly Role[];
  /** Whether it stands in the navigation; one with a variable part does not. */
  readonly inNavigation: boolean;
  readonly Page: ComponentType;
}

const EXPERT: readonly Role[] = ['EXPERT'];
const CUSTOMERS: readonly Role[] = ['CUSTOMER', 'ANALYST', 'OPERATOR'];

/** Every page, each in a bundle of its own: an expert does not load the customer's, nor a customer the expert's. */
export const ROUTES: readonly PageRoute[] = [
  {
    path: '/work',
    name: 'Work',
    roles: EXPERT,
    inNavigation: true,
    Page: lazy(() => import('./work/work-page.js').then(({ WorkPage }) => ({ default: WorkPage }))),
  },
  {
    path: '/earnings',
    name: 'Earnings',
    roles: EXPERT,
    inNavigation: true,
    Page: lazy(() => import('./pages/earnings.js').then(({ Earnings }) => ({ default: Earnings }))),
  },
  {
    path: '/quality',
    name: 'Quality',
    roles: EXPERT,
    inNavigation: true,
    Page: lazy(() => import('./pages/quality.js').then(({ Quality }) => ({ default: Quality }))),
  },
  {
    path: '/history',
    name: 'History',
    roles: EXPERT,
    inNavigation: true,
    Page: lazy(() => import('./pages/history.js').then(({ History }) => ({ default: History }))),
  },
  {
    path: '/now',
    name: 'Now',
    roles: ['OPERATOR'],
    inNavigation: true,
    Page: lazy(() => import('./now/now-page.js').then(({ NowPage }) => ({ default: NowPage }))),
  },
  {
    path: '/projects',
    name: 'Projects',
    roles: CUSTOMERS,
    inNavigation: true,
    Page: lazy(() => import('./customer/projects.js').then(({ Projects }) => ({ default: Projects }))),
  },
  {
    path: '/projects/:id',
    name: 'A project',
    roles: CUSTOMERS,
    inNavigation: false,
    Page: lazy(() => import('./customer/project.js').then(({ Project }) => ({ default: Project }))),
  },
];
