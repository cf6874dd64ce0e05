//! The gates a proposal passes, and what they say.
//!
//! One failing gate fails the whole; an unknown gate makes it unknown; unknown never passes. No
//! gate at all is unknown: silence is not a pass.

use crate::limits::{MAX_GATES, MAX_TEXT_BYTES};
use crate::number::Finite;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a gate says. Ordered from best to worst.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GateStatus {
    /// Held.
    Pass,
    /// No trustworthy conclusion.
    Unknown,
    /// Did not hold.
    Fail,
}

/// How far an engine's evidence has been proven.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Maturity {
    /// Nothing has validated it; a verdict from it is suppressed to unknown.
    Discovered,
    /// The shape of its results is checked.
    Structured,
    /// Its results agree with trusted tools in whole workflows.
    WorkflowValidated,
}

macro_rules! gates {
    ($($variant:ident $id:literal $doc:literal,)+) => {
        /// The closed list of gates. A gate with parts (`legality`, `netlist`, `guards`) may answer
        /// as a whole or part by part (`legality.overlap`).
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum GateId {
            $(#[doc = $doc] #[serde(rename = $id)] $variant,)+
        }

        impl GateId {
            /// Every gate, in the order in which a proposal meets them.
            pub const ALL: &'static [GateId] = &[$(GateId::$variant,)+];

            /// The gate's written name.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self {
                    $(GateId::$variant => $id,)+
                }
            }
        }
    };
}

gates! {
    Schema "schema" "The proposal is well-formed and inside the limits.",
    ParentFresh "parent-fresh" "The parent snapshot is the one that the platform works on.",
    Preconditions "preconditions" "Every `from` value is what the parent snapshot says.",
    Untouchable "untouchable" "Nothing fixed, dont_touch or of another fence is changed.",
    Legality "legality" "The placement is legal.",
    LegalityArea "legality.area" "Every cell is inside the die or core.",
    LegalityRowSite "legality.row-site" "Every cell is on a row and a site.",
    LegalityOrientation "legality.orientation" "Orientation and rail parity fit the row.",
    LegalityOverlap "legality.overlap" "No two cells overlap.",
    LegalityBlockage "legality.blockage" "Hard, soft and partial blockages are kept.",
    LegalityHalo "legality.halo" "Halos are kept.",
    LegalityRegion "legality.region" "Regions and fences are kept.",
    LegalityEdgeSpacing "legality.edge-spacing" "Edge spacing is kept.",
    Netlist "netlist" "The netlist is sound.",
    NetlistDriver "netlist.driver" "Every net has one driver.",
    NetlistDangling "netlist.dangling" "No pin or net dangles that did not before.",
    NetlistFunction "netlist.function" "A resize stays within the same function.",
    NetlistLogic "netlist.logic" "The logic is unchanged.",
    Claims "claims" "The declared summary equals the recomputed one.",
    Goals "goals" "Every hard goal is met.",
    Guards "guards" "The scenario's tolerances are kept.",
    GuardsWnsSetup "guards.wns-setup" "Worst setup slack.",
    GuardsTnsSetup "guards.tns-setup" "Total negative setup slack.",
    GuardsWnsHold "guards.wns-hold" "Worst hold slack.",
    GuardsTnsHold "guards.tns-hold" "Total negative hold slack.",
    GuardsMaxSlew "guards.max-slew" "Maximum slew.",
    GuardsMaxCap "guards.max-cap" "Maximum capacitance.",
    GuardsMaxFanout "guards.max-fanout" "Maximum fanout.",
    GuardsDensity "guards.density" "Density.",
    GuardsCongestion "guards.congestion" "Congestion.",
    GuardsMetric "guards.metric" "Another metric that the scenario guards; the evidence names it.",
    Collateral "collateral" "Nothing outside the dirty set changed.",
    Exactness "exactness" "Incremental equals full, bit for bit.",
    Budget "budget" "The budget is kept.",
}

impl GateId {
    /// The gate of which this is a part; itself for a whole gate.
    #[must_use]
    pub fn whole(self) -> GateId {
        let id = self.id();
        let head = id.split('.').next().unwrap_or(id);
        GateId::ALL.iter().copied().find(|g| g.id() == head).unwrap_or(self)
    }
}

impl std::fmt::Display for GateId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

/// A value or limit of a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GateValue {
    /// A finite number, in the metric's unit.
    Number(#[serde(with = "Finite")] f64),
    /// Anything else: a snapshot root, a count with its object.
    Text(String),
}

impl From<f64> for GateValue {
    fn from(v: f64) -> Self {
        // JSON has no NaN: a value that is not finite stays readable as text.
        if v.is_finite() { GateValue::Number(v) } else { GateValue::Text(v.to_string()) }
    }
}

impl From<String> for GateValue {
    fn from(v: String) -> Self {
        GateValue::Text(v)
    }
}

/// What one gate says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateResult {
    /// Which gate.
    pub id: GateId,
    /// What it says.
    pub status: GateStatus,
    /// What was found; null when nothing was measured.
    pub value: Option<GateValue>,
    /// What is allowed; null when there is no number to it.
    pub limit: Option<GateValue>,
    /// How far the engine behind the gate has been proven.
    pub maturity: Maturity,
    /// What shows it: the objects, places and numbers. Not empty unless the gate passed.
    #[schemars(length(max = 65536))]
    pub evidence: String,
}

impl GateResult {
    /// The status that counts: what an unproven engine says is unknown, unless it is a failure.
    #[must_use]
    pub fn effective(&self) -> GateStatus {
        match (self.status, self.maturity) {
            (GateStatus::Pass, Maturity::Discovered) => GateStatus::Unknown,
            (status, _) => status,
        }
    }
}

/// What all gates say together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateJudgment {
    /// The whole: the worst of the gates, unknown when there is none.
    pub status: GateStatus,
    /// Gate by gate, in the order in which they were met.
    #[schemars(length(max = 256))]
    pub gates: Vec<GateResult>,
}

impl GateJudgment {
    /// A judgment from its gates.
    #[must_use]
    pub fn of(gates: Vec<GateResult>) -> Self {
        let status = GateJudgment::fold(&gates);
        GateJudgment { status, gates }
    }

    /// The whole of some gates.
    #[must_use]
    pub fn fold(gates: &[GateResult]) -> GateStatus {
        gates.iter().map(GateResult::effective).max().unwrap_or(GateStatus::Unknown)
    }

    /// True only when every gate held.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.status == GateStatus::Pass
    }

    /// The gates that failed or are unknown.
    pub fn not_passed(&self) -> impl Iterator<Item = &GateResult> {
        self.gates.iter().filter(|g| g.effective() != GateStatus::Pass)
    }
}

impl Validate for GateJudgment {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.at_most(&at.field("gates"), "gates", self.gates.len(), MAX_GATES);
        if self.status != GateJudgment::fold(&self.gates) {
            r.push(&at.field("status"), "is not the whole of its gates");
        }
        let list = at.field("gates");
        for (i, g) in self.gates.iter().enumerate() {
            let at = list.index(i);
            for (name, v) in [("value", &g.value), ("limit", &g.limit)] {
                if let Some(GateValue::Number(v)) = v {
                    r.finite(&at.field(name), *v);
                }
            }
            r.at_most(&at.field("evidence"), "bytes", g.evidence.len(), MAX_TEXT_BYTES);
            if g.effective() != GateStatus::Pass && g.evidence.is_empty() {
                r.push(&at.field("evidence"), "a gate that did not pass says why");
            }
        }
    }
}
