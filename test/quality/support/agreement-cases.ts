// 25 published values of agreement coefficients. Numbers only; each with where it was published.
// Rows of a table are separated by `/`, cells by spaces; `*` is a missing answer.

interface Published {
  readonly name: string;
  readonly rows: readonly string[];
  readonly expected: number;
  readonly tolerance: number;
  readonly source: string;
}

/** A row for each expert and a word for each unit; or by unit, a row for each unit. */
export interface AlphaCase extends Published {
  readonly scale: 'NOMINAL' | 'ORDINAL' | 'INTERVAL' | 'RATIO';
  readonly by: 'expert' | 'unit';
}

/** A contingency table. */
interface CohenCase extends Published {
  readonly weighting: 'NONE' | 'LINEAR' | 'SQUARED';
}

const DATA_1 = [
  '1 2 3 3 2 1 4 1 2 * * * / 1 2 3 3 2 2 4 1 2 5 * 3 / * 3 3 3 2 3 4 2 2 5 1 *',
  '1 2 3 3 2 4 4 1 2 5 1 *',
];
const DATA_2 = [
  '* * * * * 3 4 1 2 1 1 3 3 * 3 / 1 * 2 1 3 3 4 3 * * * * * * * / * * 2 1 3 4 4 * 2 1 1 3 3 * 4',
];
const DATA_3 = [
  '1 1 2 * 0 0 1 1 2 2 * 0 1 3 1 1 2 1 1 0 0 0 2 0 1 0 0 1 1 1 1 2 2 3 2 2 2 2 2 1',
  '1 1 3 0 0 0 0 * 2 1 1 0 2 3 1 1 1 2 1 0 0 0 3 0 2 1 0 2 1 1 1 1 2 2 2 2 2 2 2 1',
  '2 0 3 0 0 0 2 2 2 1 0 0 2 2 1 1 2 3 0 0 1 * 3 0 * 1 0 1 2 2 0 2 * 2 2 3 2 * 2 1',
  '* 1 3 * * * * 0 * 1 0 0 2 2 * * * 3 1 * 1 0 3 0 2 1 1 2 2 * * 1 2 2 * * * 1 2 *',
  '2 * * 0 0 0 1 * 2 * * * * 3 1 1 2 * * 0 * 0 * * 2 * 0 * * 2 0 * 2 * 2 2 2 2 * 1',
];
const DATA_4 = ['YES YES * / NO NO * / NO * NO'];
const DATA_5 = [
  'no yes yes yes yes / yes yes no yes no / * yes no yes no / yes no yes yes no / no no no yes no',
];
const DATA_6 = ['Yes No Yes / Yes No No'];
const DATA_7 = ['Yes No / Yes No'];
const DATA_8 = ['0 4 1 / 0 8 0 / 0 1 5'];
const DATA_9 = ['13 0 0 / 0 20 7 / 0 4 56'];
const DATA_10 = ['0 0 1 0 0 / 4 0 1 0 0 / 2 3 3 0 0 / 0 2 0 1 1 / 1 0 0 1 0'];
const DATA_11 = [
  '0 0 0 0 14 / 0 2 6 4 2 / 0 0 3 5 6 / 0 3 9 2 0 / 2 2 8 1 1 / 7 7 0 0 0 / 3 2 6 3 0 / 2 5 3 2 2',
  '6 5 2 1 0 / 0 2 2 3 7',
];
const DATA_12 = [
  '0 0 0 6 0 / 0 3 0 0 3 / 0 1 4 0 1 / 0 0 0 0 6 / 0 3 0 3 0 / 2 0 4 0 0 / 0 0 4 0 2 / 2 0 3 1 0',
  '2 0 0 4 0 / 0 0 0 0 6 / 1 0 0 5 0 / 1 1 0 4 0 / 0 3 3 0 0 / 1 0 0 5 0 / 0 2 0 3 1 / 0 0 5 0 1',
  '3 0 0 1 2 / 5 1 0 0 0 / 0 2 0 4 0 / 1 0 2 0 3 / 0 0 0 0 6 / 0 1 0 5 0 / 0 2 0 1 3 / 2 0 0 4 0',
  '1 0 0 4 1 / 0 5 0 1 0 / 4 0 0 0 2 / 0 2 0 4 0 / 1 0 5 0 0 / 0 0 0 0 6',
];
const DATA_13 = [
  '0 0 0 6 0 / 0 3 0 0 3 / 0 1 4 0 1 / 0 0 0 0 6 / 0 3 0 3 0 / 2 0 4 0 0 / 0 0 4 0 2 / 2 0 3 1 0',
  '2 0 0 4 0 / 0 0 0 0 6 / 1 0 0 5 0 / 1 1 0 4 0 / 0 3 3 0 0 / 1 0 0 5 0 / 0 2 0 3 1',
];
const DATA_14 = [
  '3 3 3 3 3 3 / 1 1 1 4 4 4 / 1 2 2 2 2 4 / 4 4 4 4 4 4 / 1 1 1 3 3 3 / 0 0 2 2 2 2 / 2 2 2 2 4 4',
  '0 0 2 2 2 3 / 0 0 3 3 3 3 / 4 4 4 4 4 4 / 0 3 3 3 3 3 / 0 1 3 3 3 3 / 1 1 1 2 2 2 / 0 3 3 3 3 3',
  '1 1 3 3 3 4',
];
const DATA_15 = ['7 1 / 3 5'];
const DATA_16 = ['6 1 0 / 0 7 0'];

export const ALPHA_CASES: readonly AlphaCase[] = [
  {
    name: 'Krippendorff "C" data, 4 coders x 12 units (Computing Krippendorff\'s Alpha-Reliability 2011; R irr nmm)',
    scale: 'NOMINAL',
    rows: DATA_1,
    by: 'expert',
    expected: 0.743421052632,
    tolerance: 1e-9,
    source:
      'nltk/nltk nltk/test/unit/test_disagreement.py test_advanced (0.743421052632); cran/irrCAC README 0.74342; afergadis/irrCAC test 0.743',
  },
  {
    name: 'same data',
    scale: 'INTERVAL',
    rows: DATA_1,
    by: 'expert',
    expected: 0.849,
    tolerance: 0.0006,
    source:
      'afergadis/irrCAC test_krippendorff.py raw4raters quadratic weights 0.849, ratio weights 0.797 (rounded to 3)',
  },
  {
    name: 'same data',
    scale: 'RATIO',
    rows: DATA_1,
    by: 'expert',
    expected: 0.797,
    tolerance: 0.0006,
    source:
      'afergadis/irrCAC test_krippendorff.py raw4raters quadratic weights 0.849, ratio weights 0.797 (rounded to 3)',
  },
  {
    name: 'same data',
    scale: 'ORDINAL',
    rows: DATA_1,
    by: 'expert',
    expected: 0.815,
    tolerance: 0.0006,
    source:
      'Krippendorff 2011 working paper ordinal example 0.815 (from memory of the paper; not found in a fetched test; NOTE: Gwet "ordinal" weights give 0.834 - a DIFFERENT definition, see below)',
  },
  {
    name: 'Wikipedia example, 3 coders x 15 units',
    scale: 'NOMINAL',
    rows: DATA_2,
    by: 'expert',
    expected: 0.691,
    tolerance: 0.0006,
    source:
      'grrrr/krippendorff-alpha & pln-fing-udelar/fast-krippendorff sample data; dallascard/krippendorff_alpha README 0.691; interval 0.811 (Wikipedia; from memory)',
  },
  {
    name: 'Wikipedia example, 3 coders x 15 units',
    scale: 'INTERVAL',
    rows: DATA_2,
    by: 'expert',
    expected: 0.811,
    tolerance: 0.0006,
    source:
      'grrrr/krippendorff-alpha & pln-fing-udelar/fast-krippendorff sample data; dallascard/krippendorff_alpha README 0.691; interval 0.811 (Wikipedia; from memory)',
  },
  {
    name: 'Hayes & Krippendorff 2007, 5 observers x 40 units, 0-3',
    scale: 'ORDINAL',
    rows: DATA_3,
    by: 'expert',
    expected: 0.7598,
    tolerance: 0.00006,
    source: 'raoulbia/nltk-krippendorff-validation README: ordinal 0.7598 (paper)',
  },
  {
    name: 'Hayes & Krippendorff 2007',
    scale: 'NOMINAL',
    rows: DATA_3,
    by: 'expert',
    expected: 0.477,
    tolerance: 0.0006,
    source: 'same README: 0.477 nominal, 0.757 interval (Grill implementation)',
  },
  {
    name: 'Hayes & Krippendorff 2007',
    scale: 'INTERVAL',
    rows: DATA_3,
    by: 'expert',
    expected: 0.757,
    tolerance: 0.0006,
    source: 'same README: 0.477 nominal, 0.757 interval (Grill implementation)',
  },
  {
    name: 'nltk test_easy',
    scale: 'NOMINAL',
    rows: DATA_4,
    by: 'expert',
    expected: -0.3333333,
    tolerance: 0.000001,
    source: 'nltk test_disagreement.py test_easy (units with one value are ignored)',
  },
  {
    name: 'crowd-kit toy answers 5x5',
    scale: 'NOMINAL',
    rows: DATA_5,
    by: 'expert',
    expected: 0.14219114219114215,
    tolerance: 1e-12,
    source: 'Toloka/crowd-kit tests/metrics/test_metrics.py test_alpha_krippendorff',
  },
  {
    name: 'crowd-kit 2x3',
    scale: 'NOMINAL',
    rows: DATA_6,
    by: 'expert',
    expected: 0.4444444444444444,
    tolerance: 1e-12,
    source: 'crowd-kit test_metrics.py',
  },
  {
    name: 'crowd-kit 2x2 perfect',
    scale: 'NOMINAL',
    rows: DATA_7,
    by: 'expert',
    expected: 1,
    tolerance: 1e-12,
    source: 'crowd-kit test_metrics.py',
  },
  {
    name: 'irrCAC distrib.6raters',
    scale: 'NOMINAL',
    rows: DATA_14,
    by: 'unit',
    expected: 0.4204384,
    tolerance: 5e-8,
    source: 'cran/irrCAC README krippen.alpha.dist',
  },
];

export const COHEN_CASES: readonly CohenCase[] = [
  {
    name: 'SAS example 3x3',
    weighting: 'NONE',
    rows: DATA_8,
    expected: 0.4842,
    tolerance: 0.00006,
    source:
      'statsmodels stats/tests/test_inter_rater.py (SAS printout): ASE 0.1380, 95% CI 0.2137..0.7547, z 3.2626',
  },
  {
    name: 'SAS example 3x3, linear weights',
    weighting: 'LINEAR',
    rows: DATA_8,
    expected: 0.4701,
    tolerance: 0.00006,
    source: 'same file: weighted ASE 0.1457, CI 0.1845..0.7558',
  },
  {
    name: 'irrCAC cont3x3abstractors (Ectopic/AIU/NIU)',
    weighting: 'NONE',
    rows: DATA_9,
    expected: 0.7964094,
    tolerance: 5e-8,
    source:
      'cran/irrCAC README kappa2.table 0.7964094 se 0.05891072; Scott pi 0.7962397; AC1 0.8493305; alpha 0.7972585; percent 0.89',
  },
  {
    name: 'R irr anxiety raters 2,3 unweighted (20 subjects; level 5 absent is dropped)',
    weighting: 'NONE',
    rows: DATA_10,
    expected: -0.006289308,
    tolerance: 5e-9,
    source: 'statsmodels test_cohens_kappa_irr (R irr kappa2)',
  },
  {
    name: 'R irr anxiety raters 2,3 linear',
    weighting: 'LINEAR',
    rows: DATA_10,
    expected: 0.1459075,
    tolerance: 5e-8,
    source: 'same',
  },
  {
    name: 'R irr anxiety raters 2,3 squared',
    weighting: 'SQUARED',
    rows: DATA_10,
    expected: 0.2520325,
    tolerance: 5e-8,
    source: 'same',
  },
];

/** A row for each subject: how many of the raters chose each value. */
export const FLEISS_CASES: readonly Published[] = [
  {
    name: 'Wikipedia / Fleiss 14 raters x 10 subjects x 5',
    rows: DATA_11,
    expected: 0.21,
    tolerance: 0.0006,
    source: 'statsmodels test_fleiss_kappa',
  },
  {
    name: 'Fleiss 1971 psychiatric diagnoses, 6 raters x 30 x 5',
    rows: DATA_12,
    expected: 0.4302445,
    tolerance: 5e-8,
    source: 'statsmodels test_fleiss_kappa_irr (R irr kappam.fleiss: 0.4302445, z 17.65183)',
  },
  {
    name: 'irrCAC distrib.6raters (first 15 of the same)',
    rows: DATA_13,
    expected: 0.4139265,
    tolerance: 5e-8,
    source:
      'cran/irrCAC README fleiss.kappa.dist; krippendorff alpha 0.4204384; AC1 0.4448007; Brennan-Prediger 0.4388889',
  },
  {
    name: 'Randolph online calculator',
    rows: DATA_15,
    expected: 0.161905,
    tolerance: 0.000006,
    source: 'statsmodels test_fleis_randolph',
  },
  {
    name: 'Randolph online calculator',
    rows: DATA_16,
    expected: 0.708333,
    tolerance: 0.000006,
    source: 'statsmodels test_fleis_randolph',
  },
];
