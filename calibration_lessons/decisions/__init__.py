"""What a probability is for: costs and thresholds, abstaining, new proportions of the classes."""

from .costs import RiskCoverage as RiskCoverage
from .costs import expected_cost as expected_cost
from .costs import mean_cost as mean_cost
from .costs import optimal_decision as optimal_decision
from .costs import optimal_threshold as optimal_threshold
from .costs import risk_coverage as risk_coverage
from .covariate_shift import DensityRatio as DensityRatio
from .covariate_shift import density_ratio as density_ratio
from .label_shift import adjust_to_priors as adjust_to_priors
from .label_shift import estimate_priors as estimate_priors
from .label_shift import priors_interval as priors_interval
from .net_benefit import DecisionCurve as DecisionCurve
from .net_benefit import decision_curve as decision_curve
